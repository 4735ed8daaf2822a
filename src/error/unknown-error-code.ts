import { errorCatalog } from './catalog.ts'
import { unknownName } from './unknown-name.ts'

/** What is wrong with a code that is not in the catalog; undefined if it is there. */
export function unknownErrorCode(code: string): string | undefined {
  if (Object.hasOwn(errorCatalog, code)) return undefined
  return unknownName(`Unknown error code '${code}'`, code, Object.keys(errorCatalog))
}
