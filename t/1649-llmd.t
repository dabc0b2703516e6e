#!/bin/sh
# The latency calculator of etc/adapters for llm-d-inference-sim: the prices of `oracle`.
. "${top_srcdir:-.}/t/lib/tap.sh"
. "${top_srcdir:-.}/t/lib/server.sh"
command -v go >/dev/null || { echo "1..0 # SKIP no go"; exit 0; }
mkdir "$d/sim"
cp "$top_srcdir/etc/adapters/stepcost_llmd.go" "$d/sim"
printf 'module llmdinferencesim\ngo 1.19\n' >"$d/sim/go.mod"
cat >"$d/sim/sim_test.go" <<'END'
package llmdinferencesim

import (
	"os"
	"testing"
	"time"
)

// What the simulator asks.
type TTFTParams struct {
	PromptTokens       int
	CachedPromptTokens int
	DoRemotePrefill    bool
	RunningReqs        int64
}
type InterTokenParams struct{ RunningReqs int64 }
type LatencyCalculator interface {
	GetTimeToFirstToken(params *TTFTParams) time.Duration
	GetInterTokenLatency(params *InterTokenParams) time.Duration
}

func TestPrices(t *testing.T) {
	calculator := NewStepcostCalculator(os.Getenv("ORACLE"))
	var c LatencyCalculator = calculator
	for _, x := range []struct {
		got  time.Duration
		want map[string][]int64
	}{
		{c.GetInterTokenLatency(&InterTokenParams{}), map[string][]int64{}},
		{c.GetTimeToFirstToken(&TTFTParams{100, 20, false, 1}), map[string][]int64{"prefill_new": {80}, "prefill_ctx": {20}}},
		{c.GetTimeToFirstToken(&TTFTParams{300, 0, false, 3}), map[string][]int64{"prefill_new": {300}, "decode_ctx": {200, 200}}},
		{c.GetTimeToFirstToken(&TTFTParams{200, 0, true, 1}), map[string][]int64{"decode_ctx": {200}}},
		{c.GetInterTokenLatency(&InterTokenParams{2}), map[string][]int64{"decode_ctx": {200, 200}}},
	} {
		if want := calculator.price(x.want); x.got != want || len(x.want) > 0 && want <= 0 {
			t.Errorf("%v for %v: %v", x.got, x.want, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a fault is no time")
		}
	}()
	calculator.price(map[string][]int64{"prefill_new": {0}})
}
END
"$s" oracle "$top_srcdir/etc/quickstart.ini" --arms mfu_interp --listen 127.0.0.1:0 >"$d/out" 2>/dev/null &
server=$!
await $server "$d/out" http
t 'the prices of the oracle' sh -c "cd '$d/sim' && ORACLE=http://127.0.0.1:$(port_of "$d/out") GOPROXY=off GOFLAGS=-mod=mod \
	GOCACHE='$d/cache' GOTOOLCHAIN=local go test"
kill -TERM $server
wait $server
tap_done
