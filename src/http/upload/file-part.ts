import { type ApiError, createApiError, refuse } from '../../error/api-error.ts'
import { truncate } from '../../error/truncate.ts'
import { parseContentDisposition } from '../headers/content-disposition.ts'
import type { MediaType } from '../headers/media-type.ts'
import { createMultipartReader, type MultipartReader, type PartHeaders } from './multipart.ts'

/** The file that a form brings. */
export interface FilePart {
  /** As the client sent it: see `safeFileName`. */
  readonly fileName: string | undefined
  readonly contentType: string | undefined
  /**
   * To be read once; it fails at its end when more parts follow, or the form does not end as it
   * should.
   */
  readonly bytes: AsyncIterable<Uint8Array>
}

/**
 * The file of a form (`multipart/form-data`, RFC 7578) that has one part, named like the field.
 * Nothing is read but the part's head before its bytes are asked for, and nothing is held.
 * @throws ApiError `malformed-multipart`, `missing-part`, `unknown-part`, `repeated-part`,
 * `unsupported-encoding`, here or from the bytes; and whatever the body throws.
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
      throw refuse('missing-part', `The form is empty; send the file as its part '${field}'.`)
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
    throw refuse('missing-part', `No file was chosen for '${field}': its file name is empty.`)
  if (fileName === undefined && contentType === undefined) {
    throw refuse(
      'missing-part',
      `The part '${field}' is a text; send a file, with a file name or a media type.`,
    )
  }
  const coding = headers.get('content-transfer-encoding')?.toLowerCase()
  if (coding !== undefined && !['7bit', '8bit', 'binary'].includes(coding)) {
    throw refuse(
      'unsupported-encoding',
      'Send the file as it is, without a transfer encoding (RFC 7578 §4.7).',
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
    'Each part has one header Content-Disposition: form-data, with a name (RFC 7578 §4.2).',
  )
}

function unexpectedPart(name: string, field: string, isFirst = false): ApiError {
  if (name === field && !isFirst)
    return createApiError('repeated-part', `The form has more than one part '${field}'.`)
  return createApiError(
    'unknown-part',
    `The form has a part '${truncate(name, 100)}'; it may have one, named '${field}'.`,
  )
}
