import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'

/**
 * The form of a secret (Standard Webhooks 1.0): `whsec_`, and from 24 to 64 bytes in base64. The
 * last character before `=` holds no bits of a further byte.
 */
export const secretPattern: RegExp =
  /^whsec_(?:(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/][AQgw]==)?|(?:[A-Za-z0-9+/]{4}){8,20}[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)$/

/**
 * A new secret of a webhook (Standard Webhooks 1.0): `whsec_`, and 32 random bytes in base64.
 *
 * ```ts
 * const webhook = { url: 'https://receiver.example/webhooks', secret: newSecret() }
 * ```
 */
export function newSecret(): string {
  return prefix + randomBytes(32).toString('base64')
}

export interface SignedMessage {
  /** The same for all attempts to deliver a message. */
  readonly id: string
  /** Of the attempt, in seconds since 1970. */
  readonly timestamp: number
  readonly body: string
}

/**
 * The headers of a message (Standard Webhooks 1.0), with a signature for each secret: while a
 * secret is replaced, receivers verify with the old one or with the new one.
 */
export function webhookHeaders(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly string[],
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const signed = `${id}.${timestamp}.${body}`
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', bytesOf(secret)).update(signed).digest('base64')}`,
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}

/** Empty if the text is no secret. */
function bytesOf(secret: string): Buffer {
  return Buffer.from(secret.startsWith(prefix) ? secret.slice(prefix.length) : '', 'base64')
}
