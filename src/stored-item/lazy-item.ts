import type { RawItem, StoredItem } from './stored-item.ts'

/** An item that reads its id and its hash from its text when they are needed. */
export class LazyItem implements StoredItem {
  readonly text: string
  readonly relationsOffset: number
  readonly revision: number
  readonly hiddenText: string | null

  constructor(text: string, relationsOffset: number, revision: number, hiddenText: string | null) {
    this.text = text
    this.relationsOffset = relationsOffset
    this.revision = revision
    this.hiddenText = hiddenText
  }

  get id(): string {
    return idInText(this.text)
  }

  get hash(): string | null {
    return hashInText(this.text)
  }
}

/** Where the id, a JSON string, begins in every text. */
export const idOffset: number = '{"id":'.length
/** The length of a hash: SHA-256 in base64url. */
const hashLength = 43
const hashKey = '"hash":"'
/** The length of the end of a text that holds the hash: `"hash":"…"}`. */
export const hashTailLength: number = hashKey.length + hashLength + 2

function idInText(text: string): string {
  const start = idOffset + 1
  const id = text.slice(start, text.indexOf('"', start))
  return id.includes('\\') ? (JSON.parse(text) as { id: string }).id : id
}

/**
 * The value fields of an item as JSON members, as they are stored: `"title":"Dune","price":9.5`.
 * Empty if the item has none.
 * @param idJson the id as JSON
 */
export function rawValues({ text, relationsOffset }: RawItem, idJson: string): string {
  // A comma stands between the id and the values.
  return text.slice(idOffset + idJson.length + 1, relationsOffset)
}

function hashInText(text: string): string | null {
  return hashInTextEnd(text.slice(-hashTailLength)) ?? null
}

/**
 * The hash at the end of a text, if there is one. The text of an item that was written before its
 * model had a hash may end with anything.
 * @param end the last `hashTailLength` characters
 */
export function hashInTextEnd(end: string): string | undefined {
  return end.startsWith(hashKey) && end.endsWith('"}') ? end.slice(hashKey.length, -2) : undefined
}
