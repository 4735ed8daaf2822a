import { createHash } from 'node:crypto'
import { type ApiError, refusal, refuse } from '../error/api-error.ts'
import { judgeSignature, shownMediaType, signatureBytes } from './media-signature.ts'
import { parseMediaType } from './media-type.ts'
import { isTaken } from './taken-types.ts'
import { usualType } from './usual-type.ts'

/** What may be uploaded. */
export interface UploadTerms {
  /** As the client declared it. Undefined, or `application/octet-stream`, leaves it to what the content shows. */
  readonly contentType: string | undefined
  /** Media types, or ranges of them: `image/png`, `audio/*`, `*\/*`. */
  readonly accepts: readonly string[]
  readonly maxBytes: number
}

export interface UploadFacts {
  /** By its usual name, with the charset of text that states one. */
  readonly contentType: string
  readonly size: number
  /** In hexadecimal. */
  readonly sha256: string
}

export interface Upload {
  /** What came, once: it fails, and stops reading, as soon as it breaks the terms. */
  readonly bytes: AsyncIterable<Uint8Array>
  /** What is known once the bytes were read to their end. */
  facts(): UploadFacts
}

const anything = 'application/octet-stream'

/**
 * Counts, hashes, limits and judges a content while it passes; no more of it than its first few KB is held.
 * @throws ApiError `unsupported-media-type` at once, or from the bytes when the content has to show its type; from the bytes also
 * `content-mismatch` and `body-too-large`.
 */
export function upload(source: AsyncIterable<Uint8Array>, terms: UploadTerms): Upload {
  const declared = declaredType(terms)
  let facts: UploadFacts | undefined
  async function* passing(): AsyncGenerator<Uint8Array, void> {
    const hash = createHash('sha256')
    let size = 0
    let contentType: string | undefined
    let head: Uint8Array = new Uint8Array()
    for await (const chunk of source) {
      size += chunk.length
      if (size > terms.maxBytes) throw tooLarge(terms.maxBytes)
      hash.update(chunk)
      if (contentType !== undefined) {
        yield chunk
        continue
      }
      // A copy, because the source may use its chunk again; a first chunk that suffices needs none.
      head = head.length === 0 && chunk.length >= signatureBytes ? chunk : Buffer.concat([head, chunk])
      if (head.length < signatureBytes) continue
      contentType = await judged(head.subarray(0, signatureBytes), declared, terms)
      yield head
    }
    if (contentType === undefined) {
      contentType = await judged(head, declared, terms)
      if (head.length > 0) yield head
    }
    facts = { contentType, size, sha256: hash.digest('hex') }
  }
  return {
    bytes: passing(),
    facts() {
      if (facts) return facts
      throw new Error('The bytes of an upload have to be read to their end before anything is known of them.')
    },
  }
}

interface DeclaredType {
  readonly type: string
  readonly full: string
}

/** Undefined when the content has to show its type. */
function declaredType({ contentType, accepts }: UploadTerms): DeclaredType | undefined {
  if (contentType === undefined) return undefined
  const parsed = parseMediaType(contentType)
  if (!parsed) throw notTaken('The media type cannot be read.', accepts)
  const type = usualType(parsed.type)
  if (type === anything) return undefined
  if (!isTaken(type, accepts)) throw notTaken(`${type} is not taken here.`, accepts)
  const charset = type.startsWith('text/') ? parsed.parameters.get('charset') : undefined
  if (charset === undefined) return { type, full: type }
  const known = encodingOf(charset)
  if (known === undefined) throw notTaken('The charset is not known here.', accepts)
  return { type, full: `${type}; charset=${known}` }
}

async function judged(head: Uint8Array, declared: DeclaredType | undefined, { accepts }: UploadTerms): Promise<string> {
  if (!declared) {
    const shown = (await shownMediaType(head)) ?? anything
    if (isTaken(shown, accepts)) return shown
    if (isTaken(anything, accepts)) return anything
    const found = shown === anything ? 'does not show what it is' : `is ${shown}`
    throw notTaken(`The content has no declared type, and ${found}.`, accepts)
  }
  const verdict = await judgeSignature(head, declared.type)
  if (verdict.kind === 'agrees') return declared.full
  const found = verdict.kind === 'active' ? 'holds markup or scripts' : `is ${verdict.shown ?? 'something else'}`
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

function notTaken(what: string, accepts: readonly string[]): ApiError {
  return refusal(
    'unsupported-media-type',
    `${what} Send ${accepts.join(', ')}.`,
    { header: 'Content-Type' },
    { meta: { accepted: accepts } },
  )
}

function tooLarge(limit: number): ApiError {
  return refusal('body-too-large', `The file may have at most ${limit} bytes.`, undefined, { meta: { limit } })
}
