import type { SentRequest } from './service-client.ts'

/** A shell command that repeats the request. */
export function toCurl(
  base: URL,
  { method, requestTarget, headers, body, raw }: SentRequest,
): string {
  if (raw !== undefined) return toNetcat(base, raw)
  const address = base.origin + base.pathname.replace(/\/$/, '') + requestTarget
  const command = [
    'curl',
    '-i',
    '--path-as-is',
    ...(method === 'HEAD' ? ['-I'] : ['-X', method]),
    quoteForShell(address),
  ]
  for (const [name, value] of Object.entries(headers))
    command.push('-H', quoteForShell(value === '' ? `${name};` : `${name}: ${value}`))
  if (body === undefined) return command.join(' ')
  if (typeof body === 'string' && !body.includes('\0'))
    return [...command, '--data-binary', quoteForShell(body)].join(' ')
  return `printf ${quoteForShell(escapeForPrintf(Buffer.from(body)))} | ${[...command, '--data-binary', '@-'].join(' ')}`
}

/** netcat sends raw text that curl cannot send. */
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

/** Escapes everything but letters, digits and a few others for `printf`. */
function escapeForPrintf(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll(
      /[^\w .,:;/=?&{}[\]"-]/g,
      (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
    )
}
