import type { ApiResponse, ResponseBody } from '../http/api-response.ts'
import type { DocumentFacts } from '../serializer/serializer.ts'
import type { StoredItem } from '../store/stored-item.ts'
import { conditional, type Encoding, factsOf, type HeaderFields, notPaged, textBody } from './encoding.ts'
import { representationTag, storedTag } from './entity-tag.ts'
import { isStoredForm } from './represent.ts'
import { documentText } from './write-document.ts'
import { writtenItem } from './written-items.ts'

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
  const { parts, rule, serializer, model } = encoding
  const isKept = rule.method === 'GET' && !serializer.sendsStoredTexts
  const body = (): ResponseBody => {
    const facts = factsOfItem(encoding, headers)
    const { open, afterItems, close } = serializer.one(model, facts)
    if (!isKept)
      return textBody(
        open + serializer.item(model, { kind: 'stored', item }, facts.base, noRemarks) + afterItems + close,
      )
    const written = writtenItem(parts, serializer, model, item).subarray(serializer.between.length)
    return { kind: 'bytes', bytes: Buffer.concat([Buffer.from(open), written, Buffer.from(afterItems + close)]) }
  }
  return conditional(encoding, status, headers, storedTag(item), body)
}

async function encodeMadeItem(
  encoding: Encoding,
  item: StoredItem,
  status: number,
  headers: HeaderFields,
): Promise<ApiResponse> {
  const facts = factsOfItem(encoding, headers)
  const text = await documentText({ ...encoding, facts }, encoding.serializer.one(encoding.model, facts), [item])
  return conditional(encoding, status, headers, representationTag(item, text), () => textBody(text))
}

const noRemarks = Object.freeze({})

/** A new item's document stands at its own address, not at the one it was sent to. */
function factsOfItem(encoding: Encoding, { location }: HeaderFields): DocumentFacts {
  return factsOf(location === undefined ? encoding : { ...encoding, address: () => location }, notPaged)
}
