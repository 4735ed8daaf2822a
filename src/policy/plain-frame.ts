import type { DocumentFrame } from '../serializer/serializer.ts'

/** The text around the items of a document that has no place for included items. */
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
