// The service whose disk fails, as a module for `resourcery start`, `backup` and `restore`.

import { join } from 'node:path'
import { createRouter, file, model } from 'resourcery'
import { fileBlobs } from 'resourcery/files'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { z } from 'zod'

const data = process.env['DATA'] ?? '.data'
const layout = process.env['LAYOUT'] === 'tables' ? 'tables' : 'documents'

export const router = createRouter({
  policy: rest(),
  store: sqlite(join(data, 'items.db'), { layout }),
  blobs: fileBlobs(join(data, 'blobs')),
  idempotency: true,
  changes: true,
})
router.prepare(
  model(
    'note',
    { number: z.int(), text: z.string(), scan: file({ types: ['text/plain'] }) },
    { ids: 'client' },
  ),
)
