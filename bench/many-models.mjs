// Models like those of a large service: each with values of several types, relations to others and
// back, a binary resource and an action.

import { action, createRouter, field, hash, image, model, toMany, toOne } from 'resourcery'
import { memory, memoryBlobs } from 'resourcery/memory'
import { z } from 'zod'

/**
 * @param {number} count
 * @param {'plain' | 'dressed'} [kind] `dressed` unless given: with a binary resource and an action
 * each
 * @returns {readonly import('resourcery').AnyModel[]} each relates to the one before it, and so to
 * the one after it; they are the same with every call
 */
export function manyModels(count, kind = 'dressed') {
  return Array.from({ length: count }, (_, index) => {
    const [own, before, after] = [
      nameOf(index),
      nameOf((index + count - 1) % count),
      nameOf((index + 1) % count),
    ]
    return kind === 'plain' ? plain(own, before, after) : dressed(own, before, after)
  })
}

/**
 * @param {string} own
 * @param {string} before
 * @param {string} after
 */
function plain(own, before, after) {
  return model(own, fields(before, after), { description: `What is kept as ${own}` })
}

/**
 * @param {string} own
 * @param {string} before
 * @param {string} after
 */
function dressed(own, before, after) {
  const all = { ...fields(before, after), cover: image({ maxBytes: 5_000_000 }) }
  return class extends model(own, all, { description: `What is kept as ${own}` }) {
    restock() {
      return { stock: 1 }
    }

    static {
      action(this, 'restock', {
        input: z.object({ amount: z.int().positive() }),
        output: z.object({ stock: z.int() }),
      })
    }
  }
}

/**
 * @param {string} before
 * @param {string} after
 */
function fields(before, after) {
  return {
    title: z
      .string()
      .min(1)
      .max(200)
      .meta({ description: 'As it is printed', examples: ['Dune'] }),
    price: field(z.number().nonnegative(), { index: true }),
    inStock: z.boolean().default(true),
    publishedAt: z.iso.date().optional(),
    tags: z.array(z.string()).default([]),
    owner: toOne(before, { onDelete: 'restrict' }),
    owned: toMany(after, { inverse: 'owner' }),
    hash: hash(),
  }
}

/** @param {number} index */
function nameOf(index) {
  return `thing${String.fromCharCode(65 + Math.floor(index / 26))}${String.fromCharCode(97 + (index % 26))}X`
}

/**
 * @param {readonly import('resourcery').AnyModel[]} models
 * @param {import('resourcery').Policy} policy
 */
export function routerOver(models, policy) {
  const router = createRouter({ policy, store: memory(), blobs: memoryBlobs() })
  for (const model of models) router.prepare(model)
  return router
}
