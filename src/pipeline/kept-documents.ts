import type { Cache } from '../cache/generations.ts'
import type { WrittenDocuments } from '../operation/job.ts'
import type { ModelRule } from '../rule/rule.ts'
import { type Selection, wholeSelection } from '../rule/selection.ts'

export interface KeptDocuments extends WrittenDocuments {
  keep(version: string, text: string): Uint8Array
}

/**
 * The documents of single items that were sent before, where the item's version says all of what is in them: not where the client chose what
 * is in them, nor what lies at another address than the item's own. Texts that are stored go out faster as they are.
 */
export function keptDocuments(
  kept: Cache<string, Uint8Array>,
  { operation, response }: ModelRule,
): (selection: Selection) => KeptDocuments | undefined {
  if (operation !== 'GetItem' || response.serializer.sendsStoredTexts) return () => undefined
  let isLikely = false
  const documents: KeptDocuments = {
    get isLikely() {
      return isLikely
    },
    find(version) {
      const found = kept.get(version)
      isLikely = found !== undefined
      return found
    },
    keep(version, text) {
      const document = Buffer.from(text)
      kept.set(version, document)
      return document
    },
  }
  return (selection) => (selection === wholeSelection ? documents : undefined)
}
