// A latency calculator of llm-d-inference-sim that asks `stepcost oracle CONFIG --listen
// 127.0.0.1:8010`.  Copy it to pkg/llm-d-inference-sim, and let the simulator use
// NewStepcostCalculator("http://127.0.0.1:8010") for `latency-calculator: stepcost`.
// The requests that run are one batch, each with a context as long as the mean of the
// prompts so far.  A batch that cannot be priced ends the simulator.
package llmdinferencesim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

type StepcostCalculator struct {
	url             string
	prompts, tokens int64
}

func NewStepcostCalculator(url string) *StepcostCalculator { return &StepcostCalculator{url: url + "/oracle"} }

func (c *StepcostCalculator) price(batch map[string][]int64) time.Duration {
	var answer struct{ Seconds *float64 }
	question, _ := json.Marshal(batch)
	r, err := http.Post(c.url, "application/json", bytes.NewReader(question))
	if err == nil {
		defer r.Body.Close()
		err = json.NewDecoder(r.Body).Decode(&answer)
	}
	if err != nil || answer.Seconds == nil {
		panic(fmt.Sprintf("%s: no price of %s: %v", c.url, question, err))
	}
	return time.Duration(*answer.Seconds * float64(time.Second))
}

func (c *StepcostCalculator) contexts(n int64) []int64 {
	all, prompts := []int64{}, atomic.LoadInt64(&c.prompts)
	for ; n > 0 && prompts > 0; n-- {
		all = append(all, atomic.LoadInt64(&c.tokens)/prompts)
	}
	return all
}

func (c *StepcostCalculator) GetTimeToFirstToken(p *TTFTParams) time.Duration {
	atomic.AddInt64(&c.tokens, int64(p.PromptTokens))
	atomic.AddInt64(&c.prompts, 1)
	if p.DoRemotePrefill || p.PromptTokens <= p.CachedPromptTokens {
		return c.price(map[string][]int64{"decode_ctx": c.contexts(p.RunningReqs)})
	}
	return c.price(map[string][]int64{"prefill_new": {int64(p.PromptTokens - p.CachedPromptTokens)},
		"prefill_ctx": {int64(p.CachedPromptTokens)}, "decode_ctx": c.contexts(p.RunningReqs - 1)})
}

func (c *StepcostCalculator) GetInterTokenLatency(p *InterTokenParams) time.Duration {
	return c.price(map[string][]int64{"decode_ctx": c.contexts(p.RunningReqs)})
}
