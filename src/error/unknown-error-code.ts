import { errorCatalog } from './catalog.ts'
import { unknownName } from './unknown-name.ts'

/** What is wrong with a code that is not in the catalog; undefined if it is there. */
export function unknownErrorCode(code: string): string | undefined {
  if (typeof code !== 'string')
    return `Expected an error code such as 'forbidden'; got ${String(code)}.`
  if (Object.hasOwn(errorCatalog, code)) return undefined
  return unknownName(`Unknown error code '${code}'`, code, Object.keys(errorCatalog))
}
