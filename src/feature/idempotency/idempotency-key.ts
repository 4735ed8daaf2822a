/** More characters are no key: it is sent with each request, and often logged. */
export const maxKeyLength = 255

/** A String of RFC 9651 §3.3.3, as the draft of `Idempotency-Key` requires. */
const quotedKey = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/
/** Many clients send the key without quotes. A comma would separate two of them. */
const bareKey = /^[!#-+\--~]+$/

/**
 * The key that `Idempotency-Key` holds, quoted or bare
 * (draft-ietf-httpapi-idempotency-key-header-07 §2.1). Undefined if it is malformed.
 */
export function parseIdempotencyKey(value: string): string | undefined {
  const text = value.trim()
  const [, quoted] = quotedKey.exec(text) ?? []
  const key = quoted?.replace(/\\(.)/g, '$1') ?? (bareKey.test(text) ? text : undefined)
  return key !== undefined && key.length >= 1 && key.length <= maxKeyLength ? key : undefined
}
