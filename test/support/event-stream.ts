import type { Router } from 'resourcery'

/** One event of a stream; without `event`, it only says a position. */
interface StreamEvent {
  readonly event: string | undefined
  readonly id: string | undefined
  readonly data: unknown
}

export interface EventStream {
  readonly status: number
  readonly headers: Headers
  /** The next event with a name. */
  next(): Promise<StreamEvent>
  /** The characters of the longest chunk so far. */
  longestChunk(): number
  /** All text so far. */
  text(): string
  /** Reads until the service ends the stream. */
  untilEnd(): Promise<void>
  close(): Promise<void>
}

/** Opens a stream of changes without a socket. */
export async function eventStream(
  router: Pick<Router, 'handle'>,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  signal: AbortSignal | null = null,
): Promise<EventStream> {
  const response = await router.handle(
    new Request(`http://localhost${path}`, {
      headers: { accept: 'text/event-stream', ...headers },
      signal,
    }),
  )
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let rest = ''
  let longest = 0
  const events: StreamEvent[] = []
  const read = async (): Promise<boolean> => {
    const { done, value = '' } = await reader.read()
    text += value
    longest = Math.max(longest, value.length)
    const blocks = (rest + value).split('\n\n')
    rest = blocks.pop()!
    events.push(...blocks.map(parseEvent).filter(({ event }) => event !== undefined))
    return !done
  }
  return {
    status: response.status,
    headers: response.headers,
    longestChunk: () => longest,
    text: () => text,
    async next() {
      while (events.length === 0) if (!(await read())) throw new Error(`The stream ended: ${text}`)
      return events.shift()!
    },
    async untilEnd() {
      while (await read());
    },
    close: () => reader.cancel(),
  }
}

function parseEvent(block: string): StreamEvent {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    }),
  )
  const data = fields.get('data')
  return {
    event: fields.get('event'),
    id: fields.get('id'),
    data: data === undefined ? undefined : JSON.parse(data),
  }
}
