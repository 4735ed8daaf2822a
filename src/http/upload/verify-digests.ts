import { createHash } from 'node:crypto'
import { refusalsOf } from '../../error/refusals.ts'
import type { RequestHeaders } from '../api-request.ts'
import { type DigestAlgorithm, parseDigests } from '../headers/content-digest.ts'

export const verifyDigestsErrors = ['invalid-digest', 'digest-mismatch'] as const

const { refuse } = refusalsOf(verifyDigestsErrors)

interface ExpectedDigest {
  readonly header: string
  readonly algorithm: DigestAlgorithm
  readonly digest: string
}

/**
 * Checks the body of a request against the digests in its headers (RFC 9530), while it is streamed.
 * For a form that is the whole body with all parts.
 * @throws ApiError `invalid-digest` here; `digest-mismatch` from the content, after its last byte.
 */
export function verifyDigests(
  headers: RequestHeaders,
  content: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  // Content codings are not supported, so the content is the representation.
  const expected = [
    ...readDigests('Content-Digest', headers['content-digest']),
    ...readDigests('Repr-Digest', headers['repr-digest']),
  ]
  return expected.length === 0 ? content : verifyWhileReading(expected, content)
}

function readDigests(header: string, text: string | undefined): readonly ExpectedDigest[] {
  if (text === undefined) return []
  const digests = parseDigests(text)
  if (digests) return Array.from(digests, ([algorithm, digest]) => ({ header, algorithm, digest }))
  throw refuse(
    'invalid-digest',
    `${header} must have base64 digests between colons, such as sha-256=:<44 characters>: (RFC 9530).`,
    { header },
  )
}

async function* verifyWhileReading(
  expected: readonly ExpectedDigest[],
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const hashes = new Map(
    expected.map(({ algorithm }) => [algorithm, createHash(algorithm.replace('-', ''))]),
  )
  for await (const chunk of content) {
    for (const hash of hashes.values()) hash.update(chunk)
    yield chunk
  }
  const actual = new Map(
    Array.from(hashes, ([algorithm, hash]) => [algorithm, hash.digest('base64')]),
  )
  for (const { header, algorithm, digest } of expected) {
    if (actual.get(algorithm) === digest) continue
    const detail = `The ${algorithm} digest of the received bytes is ${actual.get(algorithm)}; expected ${digest}. Send the request again.`
    refuse('digest-mismatch', detail, { header })
  }
}
