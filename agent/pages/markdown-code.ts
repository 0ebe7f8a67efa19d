/** What the thread that makes Markdown runs: a file here; in the agent's bundle, which is one file, the text of it. */
export const markdownCode: URL | string = new URL('./markdown-thread.ts', import.meta.url)
