/** The fields of one server-sent event. */
export interface ServerEvent {
  readonly event?: string
  readonly data?: string
  readonly id?: string
  readonly retry?: string
}

/** The events of a response, as they arrive; comments keep the connection alive, and have none. */
export async function* readEvents(response: Response): AsyncGenerator<ServerEvent> {
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) yield parseEvent(block)
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function parseEvent(block: string): ServerEvent {
  const fields: Record<string, string> = {}
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).trimStart()
  }
  return fields
}
