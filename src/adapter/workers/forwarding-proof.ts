import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { forwardingSecret } from '../../process/process-secret.ts'

/** What both sides of a forwarded connection have agreed on before one proves itself. */
export interface ProofSubject {
  /** The port that the old worker connected to: a proof made for another port is no use here. */
  readonly port: number
  /** Texts that nobody can foresee, so that no proof can be used again. */
  readonly oldNonce: string
  readonly newNonce: string
}

type Side = 'old' | 'new'

const nonceBytes = 32
const nonceForm = /^[0-9a-f]{64}$/

export function newNonce(): string {
  return randomBytes(nonceBytes).toString('hex')
}

export function isNonce(text: string | undefined): text is string {
  return text !== undefined && nonceForm.test(text)
}

/**
 * Proves that a worker knows the secret of its primary, without the secret itself.
 * @param text what the proof vouches for
 */
export function proofOf(side: Side, subject: ProofSubject, text: string = ''): string {
  const { port, oldNonce, newNonce } = subject
  return createHmac('sha256', forwardingSecret())
    .update(`${side}\n${port}\n${oldNonce}\n${newNonce}\n${text}`)
    .digest('hex')
}

export function isProof(
  proof: string | undefined,
  side: Side,
  subject: ProofSubject,
  text: string = '',
): boolean {
  const expected = Buffer.from(proofOf(side, subject, text))
  const actual = Buffer.from(proof ?? '')
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
