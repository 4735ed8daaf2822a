import type { Feature } from '../../feature/feature.ts'
import { storeChoiceErrors } from './choose-store.ts'

const declaration = Object.freeze({ errors: storeChoiceErrors })

/** What the document says where callers decide which store responds: they may have none. */
export const storeChoice: Feature = Object.freeze({ completes: () => ({ declaration }) })
