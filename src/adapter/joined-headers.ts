import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

/**
 * The headers with every line of each. Without `joinDuplicateHeaders`, Node.js keeps only the first
 * line of several headers: `Host` among them, where a second line must be refused (RFC 9112 §3.2).
 */
export function joinedHeaders(req: IncomingMessage): IncomingHttpHeaders {
  const headers = { ...req.headers }
  const { rawHeaders } = req
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase()
    if (seen.has(name) && headers[name] !== undefined && name !== 'set-cookie')
      headers[name] = joinedLines(rawHeaders, name)
    else seen.add(name)
  }
  return headers
}

function joinedLines(rawHeaders: readonly string[], name: string): string {
  const lines = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name,
  )
  return lines.join(name === 'cookie' ? '; ' : ', ')
}
