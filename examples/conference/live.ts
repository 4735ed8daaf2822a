import { readFile } from 'node:fs/promises'
import { respond } from 'resourcery'
import type { Service } from 'resourcery/node'

/** A page that shows the program and follows its changes. */
export const live = (page: string): Service => ({
  basePath: '/live',
  respond: async () => respond(200, { 'content-type': 'text/html' }, await readFile(page)),
})
