import type { Sending } from './send.ts'

/** The request as a line for a shell, so that what was found can be tried by hand. */
export function curl(base: URL, { method, target, headers, body, raw }: Sending): string {
  if (raw !== undefined) return rawLine(base, raw)
  const address = base.origin + base.pathname.replace(/\/$/, '') + target
  const parts = ['curl', '-i', '--path-as-is', ...(method === 'HEAD' ? ['-I'] : ['-X', method]), quoted(address)]
  for (const [name, value] of Object.entries(headers))
    parts.push('-H', quoted(value === '' ? `${name};` : `${name}: ${value}`))
  if (body === undefined) return parts.join(' ')
  if (typeof body === 'string' && !body.includes('\0')) return [...parts, '--data-binary', quoted(body)].join(' ')
  return `printf ${quoted(octal(Buffer.from(body)))} | ${[...parts, '--data-binary', '@-'].join(' ')}`
}

/** What curl would not send goes to the socket as it is. */
function rawLine({ hostname, port, protocol }: URL, raw: string): string {
  const address = [hostname.replace(/^\[|\]$/g, ''), port || (protocol === 'https:' ? '443' : '80')].join(' ')
  const text = raw.length > 2_000 ? `${raw.slice(0, 2_000)}...` : raw
  return `printf '${octal(Buffer.from(text, 'latin1'))}' | nc ${address}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** For `printf`: letters, digits and a few others as they are. */
function octal(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll(/[^\w .,:;/=?&{}[\]"-]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`)
}
