import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Router } from '../index.ts'

/**
 * The routers that a module exports, each by itself or in an array.
 * @throws Error if there is none, or if Node.js cannot import TypeScript
 */
export async function importRouters(file: string): Promise<readonly Router[]> {
  const module: Record<string, unknown> = await importModule(file)
  const routers = Object.values(module).flat().filter(isRouter)
  if (routers.length > 0) return [...new Set(routers)]
  throw new Error(
    `Expected a module that exports a router or an array of routers; ${file} exports ${Object.keys(module).join(', ') || 'nothing'}.`,
  )
}

async function importModule(file: string): Promise<Record<string, unknown>> {
  try {
    return await import(pathToFileURL(resolve(file)).href)
  } catch (error) {
    if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ERR_UNKNOWN_FILE_EXTENSION')
      throw error
    throw new Error(
      `Node.js ${process.versions.node} cannot import '${file}'. For TypeScript, run 'npm install --save-dev tsx', and set NODE_OPTIONS='--import tsx' for the command.`,
      { cause: error },
    )
  }
}

function isRouter(value: unknown): value is Router {
  if (typeof value !== 'object' || value === null) return false
  const { toOpenApi, respond } = value as Partial<Router>
  return typeof toOpenApi === 'function' && typeof respond === 'function'
}
