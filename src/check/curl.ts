import type { Sending } from './send.ts'

/** The request as a line for a shell, so that what was found can be tried by hand. */
export function curl(base: URL, { method, target, headers, body }: Sending): string {
  const address = base.origin + base.pathname.replace(/\/$/, '') + target
  const parts = ['curl', '-i', '--path-as-is', ...(method === 'HEAD' ? ['-I'] : ['-X', method]), quoted(address)]
  for (const [name, value] of Object.entries(headers))
    parts.push('-H', quoted(value === '' ? `${name};` : `${name}: ${value}`))
  if (body === undefined) return parts.join(' ')
  if (typeof body === 'string' && !body.includes('\0')) return [...parts, '--data-binary', quoted(body)].join(' ')
  return `printf ${quoted(octal(Buffer.from(body)))} | ${[...parts, '--data-binary', '@-'].join(' ')}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function octal(bytes: Buffer): string {
  return [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
}
