import type { ApiError } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { truncate } from '../../error/truncate.ts'
import { parseContentDisposition } from '../headers/content-disposition.ts'
import type { MediaType } from '../headers/media-type.ts'
import {
  createMultipartReader,
  type MultipartReader,
  multipartErrors,
  type PartHeaders,
} from './multipart.ts'

const ownErrors = [
  'missing-part',
  'unknown-part',
  'repeated-part',
  'malformed-multipart',
  'unsupported-encoding',
] as const

export const filePartErrors: readonly ErrorCode[] = [...ownErrors, ...multipartErrors]

const { createApiError, refuse } = refusalsOf(ownErrors)

/** The file in a form. */
export interface FilePart {
  /** Not safe: pass it through `safeFileName`. */
  readonly fileName: string | undefined
  readonly contentType: string | undefined
  /**
   * Can be read once. It throws after the last byte if more parts follow or the form is malformed.
   */
  readonly bytes: AsyncIterable<Uint8Array>
}

/**
 * Reads the file of a form (`multipart/form-data`, RFC 7578) with exactly one part, named like the
 * field. The bytes are streamed.
 * @throws ApiError `malformed-multipart`, `missing-part`, `unknown-part`, `repeated-part`,
 * `unsupported-encoding`, here or from the bytes; and the errors of the body.
 */
export async function readFilePart(
  contentType: MediaType,
  body: AsyncIterable<Uint8Array>,
  field: string,
): Promise<FilePart> {
  const reader = createMultipartReader(contentType.parameters.get('boundary'), body)
  try {
    const part = await reader.nextPart()
    if (!part)
      throw refuse('missing-part', `The form has no parts. Send the file as the part '${field}'.`)
    return { ...readFileHeaders(part, field), bytes: readOnlyPart(reader, field) }
  } catch (error) {
    await reader.cancel()
    throw error
  }
}

async function* readOnlyPart(
  reader: MultipartReader,
  field: string,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* reader.partBytes()
    const another = await reader.nextPart()
    if (another) throw unexpectedPart(partNameOf(another), field)
  } finally {
    await reader.cancel()
  }
}

function readFileHeaders(headers: PartHeaders, field: string): Omit<FilePart, 'bytes'> {
  const disposition = parseContentDisposition(headers.get('content-disposition'))
  if (disposition?.type !== 'form-data' || disposition.name === undefined) throw missingPartName()
  const { name, fileName } = disposition
  if (name !== field) throw unexpectedPart(name, field, true)
  const contentType = headers.get('content-type')
  if (fileName === '')
    throw refuse('missing-part', `The part '${field}' has an empty file name. Choose a file.`)
  if (fileName === undefined && contentType === undefined) {
    throw refuse(
      'missing-part',
      `The part '${field}' is a text field. Send a file, with a file name or a media type.`,
    )
  }
  const coding = headers.get('content-transfer-encoding')?.toLowerCase()
  if (coding !== undefined && !['7bit', '8bit', 'binary'].includes(coding)) {
    throw refuse(
      'unsupported-encoding',
      'Content-Transfer-Encoding is not supported (RFC 7578 §4.7). Send the file without it.',
    )
  }
  return { fileName, contentType }
}

function partNameOf(headers: PartHeaders): string {
  const name = parseContentDisposition(headers.get('content-disposition'))?.name
  if (name === undefined) throw missingPartName()
  return name
}

function missingPartName(): ApiError {
  return createApiError(
    'malformed-multipart',
    'A part has no valid Content-Disposition header; expected form-data with a name (RFC 7578 §4.2).',
  )
}

function unexpectedPart(name: string, field: string, isFirst = false): ApiError {
  if (name === field && !isFirst)
    return createApiError('repeated-part', `The part '${field}' appears more than once.`)
  return createApiError(
    'unknown-part',
    `Unknown part '${truncate(name, 100)}'; expected exactly one part, '${field}'.`,
  )
}
