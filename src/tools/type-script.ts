import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const install = "For TypeScript, run 'npm install --save-dev tsx'"

/** What to do where Node.js cannot import the file, or another one that it imports. */
export function typeScriptAdvice(file: string): string {
  if (!isTypeScript(file)) return `${install}, and set NODE_OPTIONS='--import tsx' for the command.`
  return removesTypes() ? `${install}.` : `${install}, or use Node.js 22.18 or newer.`
}

function isTypeScript(file: string): boolean {
  return /\.[cm]?tsx?$/.test(file)
}

/** Does Node.js import `.ts` by itself? */
function removesTypes(): boolean {
  return Boolean((process.features as { readonly typescript?: unknown }).typescript)
}

let prepared: Promise<void> | undefined

/**
 * Lets this process import TypeScript with `tsx`, where the project of the file has it. Without it,
 * Node.js 22.18 and newer removes types itself, and an older one cannot import the file.
 */
export function prepareTypeScript(file: string): Promise<void> {
  if (!isTypeScript(file)) return Promise.resolve()
  prepared ??= importTsx(file)
  return prepared
}

async function importTsx(file: string): Promise<void> {
  // `--import tsx` has done it already.
  const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ')
  if (/\btsx\b/.test(options)) return
  const program = findTsx(file)
  if (program !== undefined) await import(pathToFileURL(program).href)
}

function findTsx(file: string): string | undefined {
  try {
    return createRequire(resolve(file)).resolve('tsx')
  } catch {
    return undefined
  }
}
