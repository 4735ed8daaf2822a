import { createRouter, type Info, type Router, type RouterOptions } from 'resourcery'
import { memory, memoryBlobs } from 'resourcery/memory'

/**
 * What the document of a small service is kept for: one thing that services do, seen in the whole
 * document.
 */
export interface Scenario {
  /** The name of the file that keeps the document. */
  readonly name: string
  readonly router: Router
}

export function info(title: string): Info {
  const description = `${title}, to see what the document of such a service says.`
  const contact = {
    name: title,
    url: 'https://service.example/help',
    email: 'help@service.example',
  }
  return { title, version: '1', description, contact, license: { name: 'MIT', identifier: 'MIT' } }
}

export function scenarioRouter(
  name: string,
  options: Omit<RouterOptions, 'store' | 'info'>,
): Router {
  return createRouter({ store: memory(), blobs: memoryBlobs(), info: info(name), ...options })
}
