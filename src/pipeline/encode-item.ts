import type { ApiResponse, ResponseBody } from '../http/api-response.ts'
import type { DocumentFacts } from '../serializer/serializer.ts'
import type { StoredItem } from '../store/stored-item.ts'
import {
  conditional,
  type Encoding,
  factsOf,
  type HeaderFields,
  headersOf,
  notPaged,
  textBody,
  typeOf,
  writtenBody,
} from './encoding.ts'
import { representationTag, soleTag, storedTag } from './entity-tag.ts'
import { isStoredForm } from './represent.ts'
import { documentText } from './write-document.ts'

export function encodeItem(
  encoding: Encoding,
  item: StoredItem,
  status: number,
  headers: HeaderFields,
): ApiResponse | Promise<ApiResponse> {
  const { representers, model, selection } = encoding
  const isPlain = isStoredForm(representers.get(model)!, selection)
  return isPlain ? encodePlainItem(encoding, item, status, headers) : encodeMadeItem(encoding, item, status, headers)
}

/** The item goes out as it is stored: its tag is known before its document is made. */
function encodePlainItem(encoding: Encoding, item: StoredItem, status: number, headers: HeaderFields): ApiResponse {
  const { documents } = encoding
  const { hash } = item
  const text = () => plainDocument(encoding, item, factsOfItem(encoding, headers))
  const body = (): ResponseBody =>
    documents && hash !== null
      ? { kind: 'bytes', bytes: documents.find(hash) ?? documents.keep(hash, text()) }
      : textBody(text())
  return conditional(encoding, status, headers, storedTag(item), body)
}

function plainDocument({ serializer, model }: Encoding, item: StoredItem, facts: DocumentFacts): string {
  const { open, afterItems, close } = serializer.one(model, facts)
  return open + serializer.item(model, { kind: 'stored', item }, facts.base, noRemarks) + afterItems + close
}

async function encodeMadeItem(
  encoding: Encoding,
  item: StoredItem,
  status: number,
  headers: HeaderFields,
): Promise<ApiResponse> {
  const facts = factsOfItem(encoding, headers)
  const written = await documentText({ ...encoding, facts }, encoding.serializer.one(encoding.model, facts), [[item]])
  if (written.kind !== 'stream')
    return conditional(encoding, status, headers, representationTag(item, written), () => written)
  headers['content-type'] = typeOf(encoding)
  headers.etag = soleTag(item)
  return { status, headers: headersOf(encoding, headers), body: await writtenBody(encoding, written.chunks) }
}

const noRemarks = Object.freeze({})

/** A new item's document stands at its own address, not at the one it was sent to. */
function factsOfItem(encoding: Encoding, { location }: HeaderFields): DocumentFacts {
  return factsOf(location === undefined ? encoding : { ...encoding, address: () => location }, notPaged)
}
