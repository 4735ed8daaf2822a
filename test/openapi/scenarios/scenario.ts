import { createRouter, type Info, type Router, type RouterOptions } from 'resourcery'
import { memory, memoryBlobs } from 'resourcery/memory'

/** A small service with one feature, whose document is stored as a snapshot. */
export interface Scenario {
  /** The file name of the snapshot. */
  readonly name: string
  readonly router: Router
}

function info(title: string): Info {
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
