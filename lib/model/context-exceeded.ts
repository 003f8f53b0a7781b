// Recognises how providers say that a request is longer than the context of the model. They have no common code, so their
// texts are compared; each line names whose text it is. Texts about a rate of tokens must not match.

const wordings: readonly RegExp[] = [
  // OpenAI (Chat Completions and Responses), Azure; the code is also that of Groq.
  /context_length_exceeded/i,
  /exceeds the context window/i,
  /input tokens exceed the configured limit/i,
  // OpenAI, vLLM, DeepSeek, OpenRouter, Llama on Bedrock, Fireworks, SGLang.
  /maximum context length/i,
  /longer than the (maximum model|model's context) length/i,
  /too long to fit into the model/i,
  // Anthropic, also on Bedrock and Vertex AI; Fireworks.
  /prompt is too long/i,
  /exceed context limit/i,
  // Bedrock: Claude, Nova, and further families.
  /input is too long/i,
  /input tokens exceeded/i,
  /number of input tokens exceeds/i,
  /exceeds the maximum (number of )?(input )?tokens/i,
  // Google.
  /input token count[^.]* exceeds/i,
  // Mistral.
  /too large for model with \d+ maximum context/i,
  // Groq, Cerebras, vLLM.
  /reduce the length of the (input )?(messages|prompt)/i,
  // xAI.
  /maximum prompt length is/i,
  // llama.cpp, LM Studio, Ollama.
  /exceed_context_size_error/i,
  /exceeds? the available context size/i,
  /greater than the context length/i,
  /context the overflows/i,
  /exceeded max context length/i,
  // Text Generation Inference, Together AI.
  /`inputs`( tokens)? \+ `max_new_tokens` must be/i,
  // Cohere.
  /too many tokens: /i,
  // MiniMax, Moonshot, Qwen, Z.ai.
  /context window exceeds limit/i,
  /exceeded model token limit/i,
  /range of input length should be/i,
];

/** Enough for an error; whatever a provider quotes after that does not count. */
const charsMax = 2000;

export const saysContextExceeded = (...texts: readonly (string | undefined)[]): boolean =>
  texts.some((text) => {
    const start = text?.slice(0, charsMax);
    return start !== undefined && wordings.some((wording) => wording.test(start));
  });
