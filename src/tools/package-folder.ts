import { dirname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The folder of the code of this package, which is in no `node_modules` where it is a clone. */
const packageFolder = dirname(dirname(fileURLToPath(import.meta.url)))

/** Does a path, a URL or a line of a stack name a file of a package, or of this one? */
export function isOfPackage(text: string): boolean {
  return (
    /[\\/]node_modules[\\/]/.test(text) ||
    text.includes(packageFolder) ||
    text.includes(pathToFileURL(packageFolder).href)
  )
}
