import { createHash } from 'node:crypto'
import type { ApiError } from '../../error/api-error.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { truncate } from '../../error/truncate.ts'
import { matchesMediaRange, parseMediaType } from '../headers/media-type.ts'
import { canonicalMediaType } from './canonical-media-type.ts'
import { checkMediaSignature, detectMediaType, signatureBytes } from './media-signature.ts'

export const inspectUploadErrors = [
  'unsupported-media-type',
  'content-mismatch',
  'body-too-large',
] as const

const { createApiError, refuse } = refusalsOf(inspectUploadErrors)

export interface UploadConstraints {
  /**
   * The type that the client declared. If it is undefined or `application/octet-stream`, the type
   * is detected from the content.
   */
  readonly contentType: string | undefined
  /** Media types and ranges: `image/png`, `audio/*`, `*\/*`. */
  readonly acceptedTypes: readonly string[]
  readonly maxBytes: number
}

interface UploadMetadata {
  /** The canonical media type, for text with the declared charset. */
  readonly contentType: string
  readonly size: number
  /** In hexadecimal. */
  readonly sha256: string
}

export interface InspectedUpload {
  /** Can be read once. It throws as soon as the content violates a constraint. */
  readonly bytes: AsyncIterable<Uint8Array>
  /** Available after all bytes were read. */
  metadata(): UploadMetadata
}

const octetStream = 'application/octet-stream'

/**
 * Counts, hashes and checks an upload while it is streamed. At most its first few KB are buffered.
 * @throws ApiError `unsupported-media-type`, here or from the bytes (if the type is detected); from
 * the bytes also `content-mismatch` and `body-too-large`.
 */
export function inspectUpload(
  source: AsyncIterable<Uint8Array>,
  constraints: UploadConstraints,
): InspectedUpload {
  const declaredType = parseDeclaredType(constraints)
  let metadata: UploadMetadata | undefined
  return {
    bytes: inspectedBytes(source, declaredType, constraints, (inspected) => {
      metadata = inspected
    }),
    metadata() {
      if (metadata) return metadata
      throw new Error('metadata() is available after all bytes of the upload were read.')
    },
  }
}

async function* inspectedBytes(
  source: AsyncIterable<Uint8Array>,
  declaredType: DeclaredType | undefined,
  constraints: UploadConstraints,
  onEnd: (metadata: UploadMetadata) => void,
): AsyncGenerator<Uint8Array, void> {
  const hash = createHash('sha256')
  let size = 0
  let contentType: string | undefined
  let head: Uint8Array = new Uint8Array()
  for await (const chunk of source) {
    size += chunk.length
    if (size > constraints.maxBytes) throw fileTooLarge(constraints.maxBytes)
    hash.update(chunk)
    if (contentType !== undefined) {
      yield chunk
      continue
    }
    // The copy is needed, because the source may reuse its buffer after the next chunk.
    head =
      head.length === 0 && chunk.length >= signatureBytes ? chunk : Buffer.concat([head, chunk])
    if (head.length < signatureBytes) continue
    contentType = await checkType(head.subarray(0, signatureBytes), declaredType, constraints)
    yield head
  }
  if (contentType === undefined) {
    contentType = await checkType(head, declaredType, constraints)
    if (head.length > 0) yield head
  }
  onEnd({ contentType, size, sha256: hash.digest('hex') })
}

interface DeclaredType {
  readonly type: string
  readonly contentType: string
}

/** Undefined if the type must be detected from the content. */
function parseDeclaredType({
  contentType,
  acceptedTypes,
}: UploadConstraints): DeclaredType | undefined {
  if (contentType === undefined) return undefined
  const parsed = parseMediaType(contentType)
  if (!parsed) throw unsupportedMediaType('The media type is malformed.', acceptedTypes)
  const type = canonicalMediaType(parsed.type)
  if (type === octetStream) return undefined
  if (!matchesMediaRange(type, acceptedTypes))
    throw unsupportedMediaType(`The media type '${type}' is not accepted.`, acceptedTypes)
  const charset = type.startsWith('text/') ? parsed.parameters.get('charset') : undefined
  if (charset === undefined) return { type, contentType: type }
  const encoding = encodingOf(charset)
  if (encoding === undefined)
    throw unsupportedMediaType(`The charset '${truncate(charset)}' is unknown.`, acceptedTypes)
  return { type, contentType: `${type}; charset=${encoding}` }
}

async function checkType(
  head: Uint8Array,
  declaredType: DeclaredType | undefined,
  { acceptedTypes, contentType }: UploadConstraints,
): Promise<string> {
  if (!declaredType) {
    const detectedType = (await detectMediaType(head)) ?? octetStream
    if (matchesMediaRange(detectedType, acceptedTypes)) return detectedType
    if (matchesMediaRange(octetStream, acceptedTypes)) return octetStream
    const content = detectedType === octetStream ? 'of an unknown type' : detectedType
    const declaration =
      contentType === undefined
        ? 'No media type was declared'
        : `The media type '${octetStream}' does not say what the content is`
    throw unsupportedMediaType(`${declaration}, and the content is ${content}.`, acceptedTypes)
  }
  const result = await checkMediaSignature(head, declaredType.type)
  if (result.kind === 'match') return declaredType.contentType
  const content =
    result.kind === 'activeContent'
      ? 'has markup or scripts'
      : `is ${result.detectedType ?? 'of another type'}`
  throw refuse(
    'content-mismatch',
    `The content was declared as '${declaredType.type}', but it ${content}.`,
    { header: 'Content-Type' },
  )
}

function encodingOf(charset: string): string | undefined {
  try {
    return new TextDecoder(charset).encoding
  } catch {
    return undefined
  }
}

function unsupportedMediaType(detail: string, accepted: readonly string[]): ApiError {
  return createApiError(
    'unsupported-media-type',
    `${detail} Accepted media types: ${accepted.join(', ')}.`,
    { header: 'Content-Type' },
    { meta: { accepted } },
  )
}

/** The error for an upload that is larger than its field allows. */
export function fileTooLarge(limit: number): ApiError {
  return createApiError('body-too-large', `The file must have at most ${limit} bytes.`, undefined, {
    meta: { limit },
  })
}
