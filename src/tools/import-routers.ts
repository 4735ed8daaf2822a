import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { importWithoutOpening } from '../api/without-opening.ts'
import { RegistrationError, type Router } from '../index.ts'
import { prepareTypeScript, typeScriptAdvice } from './type-script.ts'

/** A module that does not compile, or that throws. Its cause says why. */
export class ImportFailure extends Error {}

/**
 * The routers that a module exports, each by itself or in an array. None is open.
 * @throws Error if there is none, if the module opens one, or if Node.js cannot import TypeScript
 */
export function importRouters(file: string): Promise<readonly Router[]> {
  return importWithoutOpening(
    () => importServedRouters(file),
    () =>
      new Error(
        `${file} opens its router when it is imported, as 'serve' does; this command has stopped it. ${notServing}`,
      ),
  )
}

const notServing = 'Export the router from a module that does not serve it.'

/**
 * The routers that a module exports, which may serve them.
 * @throws Error if there is none, or if Node.js cannot import TypeScript
 */
export async function importServedRouters(file: string): Promise<readonly Router[]> {
  const module: Record<string, unknown> = await importModule(file)
  const routers = Object.values(module).flat().filter(isRouter)
  if (routers.length > 0) return [...new Set(routers)]
  throw new Error(
    `Expected a module that exports a router or an array of routers, and does not serve it; ${file} exports ${Object.keys(module).join(', ') || 'nothing'}.`,
  )
}

async function importModule(file: string): Promise<Record<string, unknown>> {
  const path = resolve(file)
  if (!existsSync(path)) throw new Error(`There is no file '${path}'.`)
  await prepareTypeScript(file)
  try {
    return await import(pathToFileURL(path).href)
  } catch (error) {
    const { code, message } = (error ?? {}) as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new Error(`${file} listens when it is imported: ${message}. ${notServing}`, {
        cause: error,
      })
    if (error instanceof RegistrationError) throw error
    if (code !== 'ERR_UNKNOWN_FILE_EXTENSION')
      throw new ImportFailure(`${file} cannot be imported: ${inspect(error)}`, { cause: error })
    throw new Error(
      `Node.js ${process.versions.node} cannot import '${file}'. ${typeScriptAdvice(file)}`,
      { cause: error },
    )
  }
}

function isRouter(value: unknown): value is Router {
  if (typeof value !== 'object' || value === null) return false
  const { toOpenApi, respond } = value as Partial<Router>
  return typeof toOpenApi === 'function' && typeof respond === 'function'
}
