import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What a module exports as `serveOptions`. The module is loaded already. */
export async function exportedOptions(file: string): Promise<unknown> {
  return (await import(pathToFileURL(resolve(file)).href)).serveOptions
}
