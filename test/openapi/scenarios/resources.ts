import { audio, file, hash, image, list, model, struct } from 'resourcery'
import { rest } from 'resourcery/rest'
import { z } from 'zod'
import { type Scenario, scenarioRouter } from './scenario.ts'

/** Binary resources, variants of images, and resources inside values. */
const Album = model('album', {
  title: z.string(),
  cover: image({ maxBytes: 1_000_000, variants: { formats: ['webp', 'png'], sizes: [128, 512] } }),
  preview: audio({ description: 'The first half minute' }),
  booklet: file({ types: ['application/pdf'], readOnly: true }),
  pages: list(struct({ number: z.int(), scan: image({ types: ['image/*'] }) })),
  hash: hash(),
})
const router = scenarioRouter('Albums', { policy: rest() })
router.prepare(Album)

export const resources: Scenario = { name: 'resources', router }
