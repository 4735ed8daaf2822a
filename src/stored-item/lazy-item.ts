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
export const hashLength = 43
const hashKey = '"hash":"'

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

/**
 * The text of an item with a hash ends with the hash. The text of an item that was written before
 * its model had a hash may end with anything.
 */
function hashInText(text: string): string | null {
  const start = text.length - hashLength - 2
  const hasHash = text.endsWith('"}') && text.startsWith(hashKey, start - hashKey.length)
  return hasHash ? text.slice(start, -2) : null
}
