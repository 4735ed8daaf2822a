import type { StoredItem } from '../stored-item.ts'

/** What is read of an item, in the order of `itemOf`. Its id and its hash are read off its text, at half the cost of columns. */
export const itemColumns: readonly string[] = ['"text"', '"split"', '"hidden"', '"revision"']

export type Row = readonly unknown[]

export function itemOf(row: Row): StoredItem {
  const text = row[0] as string
  return {
    id: idIn(text),
    text,
    split: row[1] as number,
    hidden: row[2] as string | null,
    hash: hashIn(text),
    revision: row[3] as number,
  }
}

const beforeId = '{"id":"'
const beforeHash = '"hash":"'
/** SHA-256 in base64url. */
const hashLength = 43

/** Every text begins with the id. */
function idIn(text: string): string {
  const end = text.indexOf('"', beforeId.length)
  const id = text.slice(beforeId.length, end)
  return id.includes('\\') ? (JSON.parse(text) as { id: string }).id : id
}

/** Every text of an item that has a hash ends with it. */
function hashIn(text: string): string | null {
  const start = text.length - hashLength - 2
  return text.startsWith(beforeHash, start - beforeHash.length) ? text.slice(start, -2) : null
}
