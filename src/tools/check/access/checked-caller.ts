import { RegistrationError } from '../../../index.ts'
import type { Finding } from '../finding.ts'

/** Who sends the requests of a check, and with which credential. */
export interface CheckedCaller {
  /** For reports, for example `admin`. */
  readonly name: string
  /** The headers with the credential; none for anonymous requests. Reports never show values. */
  readonly headers: Readonly<Record<string, string>>
}

/** @throws RegistrationError for an empty header: the caller would be an anonymous one */
export function checkCredentials({ name, headers }: CheckedCaller): void {
  for (const [header, value] of Object.entries(headers))
    if (/^(?:Bearer|Basic|Digest|DPoP|Token)?\s*$/i.test(value))
      throw new RegistrationError(
        `The header '${header}' of '${name}' is empty. Set it to a credential, or remove it to send anonymous requests.`,
      )
}

/** A finding that can be printed: the names of callers stand for their credentials. */
export function withoutCredentials(callers: readonly CheckedCaller[], finding: Finding): Finding {
  const hide = (text: string) => hideCredentials(callers, text)
  const { request } = finding
  const sender = callers.find(({ name }) => name === finding.caller)
  const headers = { ...(sender && shownHeaders(sender)), ...request.headers }
  return {
    ...finding,
    message: hide(finding.message),
    request: {
      ...request,
      requestTarget: hide(request.requestTarget),
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, hide(value)]),
      ),
      ...(typeof request.body === 'string' && { body: hide(request.body) }),
      ...(request.raw !== undefined && { raw: hide(request.raw) }),
    },
  }
}

/** Headers by which no service knows a caller: reports show them as they are. */
const plainHeaders: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'origin',
  'prefer',
  'referer',
  'user-agent',
])

/** Shorter values of headers are not looked for in texts. */
const minSecretLength = 8

/**
 * A finding of requests that all have these headers. Any header may be a credential, so that the
 * name of the header stands for its value.
 */
export function withoutHeaderCredentials(
  headers: Readonly<Record<string, string>>,
  finding: Finding,
): Finding {
  const isPlain = ([name, value]: readonly [string, string]) =>
    value === '' || plainHeaders.has(name.toLowerCase())
  const all = Object.entries(headers)
  const secrets = all
    .filter((header) => !isPlain(header))
    .map(([name, value]): CheckedCaller => ({ name, headers: { [name]: value } }))
  const shown = Object.assign(
    {},
    Object.fromEntries(all.filter(isPlain)),
    ...secrets.map(shownHeaders),
  )
  const { request } = finding
  // Anything has short values in it, such as versions.
  const repeatable = secrets.filter(
    ({ name }) => secretOf(headers[name]!).length >= minSecretLength,
  )
  return withoutCredentials(repeatable, {
    ...finding,
    request: {
      ...request,
      headers: { ...shown, ...request.headers },
      ...(request.raw !== undefined && { raw: hideHeaders(secrets, request.raw) }),
    },
  })
}

/** Replaces the credentials in the headers of a raw request, however short they are. */
function hideHeaders(callers: readonly CheckedCaller[], raw: string): string {
  return callers.reduce((text, caller) => {
    const shown = shownHeaders(caller)
    return Object.entries(caller.headers).reduce(
      (rest, [name, value]) =>
        rest.replaceAll(`\n${name}: ${value}\r`, () => `\n${name}: ${shown[name]}\r`),
      text,
    )
  }, raw)
}

/** Shows headers of a caller with the name of the caller in place of the credential. */
function shownHeaders({ name, headers }: CheckedCaller): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([header, value]) => [
      header,
      value.replace(secretOf(value), `<${name}>`),
    ]),
  )
}

/** Replaces the credentials in a text by the names of their callers: services may repeat them. */
function hideCredentials(callers: readonly CheckedCaller[], text: string): string {
  let shown = text
  for (const { name, headers } of callers)
    for (const value of Object.values(headers))
      shown = shown.replaceAll(secretOf(value), () => `<${name}>`)
  return shown
}

/** The value of a header without the name of its scheme (RFC 9110 §11.4). */
function secretOf(value: string): string {
  return /^(?:Bearer|Basic|Digest|DPoP|Token) (.+)$/i.exec(value)?.[1] ?? value
}

/** An error with the name of the caller as whom the check met it. */
export function errorOfCaller({ name }: CheckedCaller, cause: Error): Error {
  return new Error(`As '${name}': ${cause.message}`, { cause })
}
