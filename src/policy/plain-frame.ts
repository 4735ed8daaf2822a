import type { DocumentFrame } from '../serializer/serializer.ts'

/**
 * The text around the items of a document that has no place for included items. `emptyItems` stands
 * in place of the items of an empty list.
 *
 * ```ts
 * const listFrame = plainFrame('{"books":[', ']}')
 * ```
 */
export function plainFrame(open: string, close: string, emptyItems = ''): DocumentFrame {
  return Object.freeze({
    open,
    emptyItems,
    afterItems: close,
    includedOpen: '',
    group: () => ({ open: '', close: '' }),
    areGroupsJoined: true,
    includedClose: '',
    close: '',
  })
}
