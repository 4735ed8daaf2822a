import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Router } from './router.ts'

/**
 * The routers that a module exports, each by itself or in an array.
 * @throws Error if there is none
 */
export async function importRouters(file: string): Promise<readonly Router[]> {
  const module: Record<string, unknown> = await import(pathToFileURL(resolve(file)).href)
  const routers = Object.values(module).flat().filter(isRouter)
  if (routers.length > 0) return [...new Set(routers)]
  throw new Error(
    `Expected a module that exports a router or an array of routers; ${file} exports ${Object.keys(module).join(', ') || 'nothing'}.`,
  )
}

function isRouter(value: unknown): value is Router {
  if (typeof value !== 'object' || value === null) return false
  const { toOpenApi, respond } = value as Partial<Router>
  return typeof toOpenApi === 'function' && typeof respond === 'function'
}
