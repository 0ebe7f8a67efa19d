import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** Which library asks, and for what; see engines.md on how each of them asks. */
export type AskedFor = 'observe' | 'act' | 'extract' | 'progress' | 'cua' | 'magnitude' | 'magnitude-query' | 'other'

export interface Asked {
  kind: AskedFor
  /** Everything the prompt says, without its pictures. */
  text: string
  pictures: number
  /** The elements of the page as Stagehand lists them: `[0-12] button: Pay now`. */
  elements: { id: string; role: string; name: string }[]
}

/** What the model says: an object becomes its JSON; the others are ways in which servers fail. */
export type Said = { json: unknown } | { garbage: string } | { status: number } | { hang: true } | { output: unknown[] }
export type Script = (asked: Asked) => Said | Promise<Said>

export interface Llm {
  /** With `/v1`, as both libraries want it. */
  baseUrl: string
  asked: Asked[]
  /** How many still wait for an answer. */
  readonly waiting: number
  /** Replaces the script, from the next question on. */
  says(script: Script): void
  stop(): Promise<void>
}

/** A model that follows a script, behind an OpenAI-compatible server on loopback. */
export async function startLlm(first: Script): Promise<Llm> {
  let script = first
  const asked: Asked[] = []
  let waiting = 0
  const server = http.createServer(async (request, response) => {
    waiting++
    response.once('close', () => waiting--)
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const body = JSON.parse(text === '' ? '{}' : text) as Record<string, unknown>
    const responses = request.url?.endsWith('/responses') === true
    const question = understand(body, responses)
    asked.push(question)
    const said = await Promise.resolve(script(question)).catch(() => ({ status: 500 }))
    if ('hang' in said) return
    if ('status' in said) return void response.writeHead(said.status).end('{"error":{"message":"scripted failure"}}')
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(responses ? responsesBody(said) : chatBody(said)))
  })
  server.on('clientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    get waiting() {
      return waiting
    },
    says(next) {
      script = next
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The first element whose line fits; a script that finds none answers as a model does that sees nothing fitting. */
export function find(asked: Asked, fits: RegExp): string | undefined {
  return asked.elements.find(({ role, name }) => fits.test(`${role}: ${name}`))?.id
}

/** What Stagehand's `act` wants to hear. */
export function action(elementId: string | undefined, method: string, ...args: string[]): Said {
  const chosen = elementId === undefined ? null : { elementId, description: 'scripted', method, arguments: args }
  return { json: { action: chosen, elements: chosen === null ? [] : [chosen], twoStep: false } }
}

/** What Magnitude wants to hear: some actions, and then that it is done. */
export function steps(...actions: Record<string, unknown>[]): Said {
  return { json: { reasoning: 'scripted', actions: [...actions, { variant: 'task:done', evidence: 'scripted' }] } }
}

function understand(body: Record<string, unknown>, responses: boolean): Asked {
  const messages = (responses ? body['input'] : body['messages']) as { content?: unknown }[] | undefined
  const parts = (messages ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : [{ text: content }]))
  const text = parts.map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : '')).join('\n')
  const pictures = JSON.stringify(parts).split('image_url":').length - 1
  const elements = Array.from(text.matchAll(/\[(\d+-\d+)\] ([^:\n]+)(?:: ([^\n]*))?/g), (match) => ({
    id: match[1] ?? '',
    role: match[2] ?? '',
    name: match[3] ?? '',
  }))
  return { kind: responses ? 'cua' : kindOf(body, text), text, pictures, elements }
}

function kindOf(body: Record<string, unknown>, text: string): AskedFor {
  const format = body['response_format'] as { json_schema?: { schema?: { properties?: object } } } | undefined
  const properties = format?.json_schema?.schema?.properties
  if (properties === undefined) return text.includes('task:done') ? 'magnitude' : 'magnitude-query'
  if ('elements' in properties) return 'observe'
  if ('twoStep' in properties) return 'act'
  if ('progress' in properties && 'completed' in properties) return 'progress'
  return 'extract'
}

function chatBody(said: Said) {
  const content = 'garbage' in said ? said.garbage : JSON.stringify('json' in said ? said.json : {})
  return {
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'scripted' },
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }
}

function responsesBody(said: Said) {
  const text = 'garbage' in said ? said.garbage : 'json' in said ? JSON.stringify(said.json) : 'done'
  const message = {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
  }
  return {
    ...{ id: 'resp_1', object: 'response', created_at: 1, model: 'scripted', status: 'completed' },
    output: 'output' in said ? said.output : [message],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  }
}
