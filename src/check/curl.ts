import type { SentRequest } from './service-client.ts'

/** The request as a line for a shell, so that what was found can be tried by hand. */
export function toCurl(
  base: URL,
  { method, requestTarget, headers, body, raw }: SentRequest,
): string {
  if (raw !== undefined) return toNetcat(base, raw)
  const address = base.origin + base.pathname.replace(/\/$/, '') + requestTarget
  const parts = [
    'curl',
    '-i',
    '--path-as-is',
    ...(method === 'HEAD' ? ['-I'] : ['-X', method]),
    quoteForShell(address),
  ]
  for (const [name, value] of Object.entries(headers))
    parts.push('-H', quoteForShell(value === '' ? `${name};` : `${name}: ${value}`))
  if (body === undefined) return parts.join(' ')
  if (typeof body === 'string' && !body.includes('\0'))
    return [...parts, '--data-binary', quoteForShell(body)].join(' ')
  return `printf ${quoteForShell(escapeForPrintf(Buffer.from(body)))} | ${[...parts, '--data-binary', '@-'].join(' ')}`
}

/** What curl would not send goes to the socket as it is. */
function toNetcat({ hostname, port, protocol }: URL, raw: string): string {
  const address = [
    hostname.replace(/^\[|\]$/g, ''),
    port || (protocol === 'https:' ? '443' : '80'),
  ].join(' ')
  const text = raw.length > 2_000 ? `${raw.slice(0, 2_000)}...` : raw
  return `printf '${escapeForPrintf(Buffer.from(text, 'latin1'))}' | nc ${address}`
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** For `printf`: letters, digits and a few others as they are. */
function escapeForPrintf(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll(
      /[^\w .,:;/=?&{}[\]"-]/g,
      (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`,
    )
}
