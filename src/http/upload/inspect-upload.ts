import { createHash } from 'node:crypto'
import { type ApiError, createApiError, refuse } from '../../error/api-error.ts'
import { parseMediaType } from '../headers/media-type.ts'
import { isAcceptedType } from './accepted-types.ts'
import { canonicalMediaType } from './canonical-media-type.ts'
import { checkMediaSignature, detectMediaType, signatureBytes } from './media-signature.ts'

/** What may be uploaded. */
export interface UploadConstraints {
  /**
   * As the client declared it. Undefined, or `application/octet-stream`, leaves it to what the
   * content shows.
   */
  readonly contentType: string | undefined
  /** Media types, or ranges of them: `image/png`, `audio/*`, `*\/*`. */
  readonly acceptedTypes: readonly string[]
  readonly maxBytes: number
}

export interface UploadMetadata {
  /** By its usual name, with the charset of text that states one. */
  readonly contentType: string
  readonly size: number
  /** In hexadecimal. */
  readonly sha256: string
}

export interface InspectedUpload {
  /** What came, once: it fails, and stops reading, as soon as it breaks the terms. */
  readonly bytes: AsyncIterable<Uint8Array>
  /** What is known once the bytes were read to their end. */
  metadata(): UploadMetadata
}

const octetStream = 'application/octet-stream'

/**
 * Counts, hashes, limits and judges a content while it passes; no more of it than its first few KB
 * is held.
 * @throws ApiError `unsupported-media-type` at once, or from the bytes when the content has to show
 * its type; from the bytes also `content-mismatch` and `body-too-large`.
 */
export function inspectUpload(
  source: AsyncIterable<Uint8Array>,
  terms: UploadConstraints,
): InspectedUpload {
  const declared = parseDeclaredType(terms)
  let facts: UploadMetadata | undefined
  async function* passing(): AsyncGenerator<Uint8Array, void> {
    const hash = createHash('sha256')
    let size = 0
    let contentType: string | undefined
    let head: Uint8Array = new Uint8Array()
    for await (const chunk of source) {
      size += chunk.length
      if (size > terms.maxBytes) throw bodyTooLarge(terms.maxBytes)
      hash.update(chunk)
      if (contentType !== undefined) {
        yield chunk
        continue
      }
      // A copy, because the source may use its chunk again; a first chunk that suffices needs none.
      head =
        head.length === 0 && chunk.length >= signatureBytes ? chunk : Buffer.concat([head, chunk])
      if (head.length < signatureBytes) continue
      contentType = await determineType(head.subarray(0, signatureBytes), declared, terms)
      yield head
    }
    if (contentType === undefined) {
      contentType = await determineType(head, declared, terms)
      if (head.length > 0) yield head
    }
    facts = { contentType, size, sha256: hash.digest('hex') }
  }
  return {
    bytes: passing(),
    metadata() {
      if (facts) return facts
      throw new Error(
        'The bytes of an upload have to be read to their end before anything is known of them.',
      )
    },
  }
}

interface DeclaredType {
  readonly type: string
  readonly contentType: string
}

/** Undefined when the content has to show its type. */
function parseDeclaredType({
  contentType,
  acceptedTypes,
}: UploadConstraints): DeclaredType | undefined {
  if (contentType === undefined) return undefined
  const parsed = parseMediaType(contentType)
  if (!parsed) throw unsupportedMediaType('The media type cannot be read.', acceptedTypes)
  const type = canonicalMediaType(parsed.type)
  if (type === octetStream) return undefined
  if (!isAcceptedType(type, acceptedTypes))
    throw unsupportedMediaType(`${type} is not taken here.`, acceptedTypes)
  const charset = type.startsWith('text/') ? parsed.parameters.get('charset') : undefined
  if (charset === undefined) return { type, contentType: type }
  const known = encodingOf(charset)
  if (known === undefined)
    throw unsupportedMediaType('The charset is not known here.', acceptedTypes)
  return { type, contentType: `${type}; charset=${known}` }
}

async function determineType(
  head: Uint8Array,
  declared: DeclaredType | undefined,
  { acceptedTypes }: UploadConstraints,
): Promise<string> {
  if (!declared) {
    const shown = (await detectMediaType(head)) ?? octetStream
    if (isAcceptedType(shown, acceptedTypes)) return shown
    if (isAcceptedType(octetStream, acceptedTypes)) return octetStream
    const found = shown === octetStream ? 'does not show what it is' : `is ${shown}`
    throw unsupportedMediaType(`The content has no declared type, and ${found}.`, acceptedTypes)
  }
  const verdict = await checkMediaSignature(head, declared.type)
  if (verdict.kind === 'agrees') return declared.contentType
  const found =
    verdict.kind === 'active'
      ? 'holds markup or scripts'
      : `is ${verdict.detectedType ?? 'something else'}`
  throw refuse('content-mismatch', `The content is declared as ${declared.type}, but ${found}.`, {
    header: 'Content-Type',
  })
}

function encodingOf(charset: string): string | undefined {
  try {
    return new TextDecoder(charset).encoding
  } catch {
    return undefined
  }
}

function unsupportedMediaType(what: string, accepts: readonly string[]): ApiError {
  return createApiError(
    'unsupported-media-type',
    `${what} Send ${accepts.join(', ')}.`,
    { header: 'Content-Type' },
    { meta: { accepted: accepts } },
  )
}

function bodyTooLarge(limit: number): ApiError {
  return createApiError('body-too-large', `The file may have at most ${limit} bytes.`, undefined, {
    meta: { limit },
  })
}
