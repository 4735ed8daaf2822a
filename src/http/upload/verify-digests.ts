import { createHash } from 'node:crypto'
import { refuse } from '../../error/api-error.ts'
import type { RequestHeaders } from '../api-request.ts'
import { type DigestAlgorithm, parseDigests } from '../headers/content-digest.ts'

interface StatedDigest {
  readonly header: string
  readonly algorithm: DigestAlgorithm
  readonly digest: string
}

/**
 * The content of a request, which fails at its end when it is not the one whose digest the headers
 * state (RFC 9530): the whole body as it was sent, a form with all of its parts. Without such
 * headers it is the content itself.
 * @throws ApiError `invalid-digest`, at once; `digest-mismatch`, after the last byte.
 */
export function verifyDigests(
  headers: RequestHeaders,
  content: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  // No content coding is taken, so what was sent is the representation.
  const stated = [
    ...readStatedDigests('Content-Digest', headers['content-digest']),
    ...readStatedDigests('Repr-Digest', headers['repr-digest']),
  ]
  return stated.length === 0 ? content : verifyWhileReading(stated, content)
}

function readStatedDigests(header: string, text: string | undefined): readonly StatedDigest[] {
  if (text === undefined) return []
  const digests = parseDigests(text)
  if (digests) return Array.from(digests, ([algorithm, digest]) => ({ header, algorithm, digest }))
  throw refuse(
    'invalid-digest',
    `${header} holds digests in base64 between colons, of the right length, such as sha-256=:<44 characters>: (RFC 9530).`,
    { header },
  )
}

async function* verifyWhileReading(
  stated: readonly StatedDigest[],
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const hashes = new Map(
    stated.map(({ algorithm }) => [algorithm, createHash(algorithm.replace('-', ''))]),
  )
  for await (const chunk of content) {
    for (const hash of hashes.values()) hash.update(chunk)
    yield chunk
  }
  const found = new Map(
    Array.from(hashes, ([algorithm, hash]) => [algorithm, hash.digest('base64')]),
  )
  for (const { header, algorithm, digest } of stated) {
    if (found.get(algorithm) === digest) continue
    const detail = `The ${algorithm} of what arrived is ${found.get(algorithm)}, not ${digest}; send it again.`
    throw refuse('digest-mismatch', detail, { header })
  }
}
