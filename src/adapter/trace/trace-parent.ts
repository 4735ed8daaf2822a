/** The forms of `traceparent`: that of version 00, and what later versions begin with. */
const pattern = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/

const zeros = /^0+$/

/** The trace id of a `traceparent`; undefined for an invalid one (W3C Trace Context §3.2). */
export function traceIdOf(header: string | undefined): string | undefined {
  const match = header === undefined ? null : pattern.exec(header)
  if (match === null) return undefined
  const [, version, traceId = '', parentId = '', rest] = match
  if (version === '00' && rest !== undefined) return undefined
  return zeros.test(traceId) || zeros.test(parentId) ? undefined : traceId
}
