import type { StoredItem } from './stored-item.ts'

/**
 * An item of which the text is at hand: its id and its hash are read off that when they are asked
 * for.
 */
export class LazyItem implements StoredItem {
  readonly text: string
  readonly relationsOffset: number
  readonly revision: number
  readonly hiddenText: string | null

  constructor(text: string, split: number, revision: number, hidden: string | null) {
    this.text = text
    this.relationsOffset = split
    this.revision = revision
    this.hiddenText = hidden
  }

  get id(): string {
    return idIn(this.text)
  }

  get hash(): string | null {
    return hashIn(this.text)
  }
}

const beforeId = '{"id":"'
const beforeHash = '"hash":"'
/** SHA-256 in base64url. */
export const hashLength = 43

/** Every text begins with the id. */
function idIn(text: string): string {
  const end = text.indexOf('"', beforeId.length)
  const id = text.slice(beforeId.length, end)
  return id.includes('\\') ? (JSON.parse(text) as { id: string }).id : id
}

/**
 * Every text of an item that has a hash ends with it; one from before the model had any may end
 * with anything.
 */
function hashIn(text: string): string | null {
  const start = text.length - hashLength - 2
  const isThere = text.endsWith('"}') && text.startsWith(beforeHash, start - beforeHash.length)
  return isThere ? text.slice(start, -2) : null
}
