import { createRouter, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { stores } from '../support/stores.ts'
import { withSerializer } from '../support/with-serializer.ts'

const Book = model('book', { title: z.string() })

const placeholder = { id: 'none', title: 'Nothing' }

/** rest() that writes an item of its own into empty lists. */
const policy = withSerializer(rest(), ({ listFrame }) => ({
  listFrame: (...about) => ({ ...listFrame(...about), emptyItems: JSON.stringify(placeholder) }),
}))

describe.each(stores)('Lists of a policy with a text for empty lists, on $name', ({ make }) => {
  it.each(['/books', '/books?page[size]=2', '/books?page[size]=2&filter[title]=x'])(
    '%s holds that text only if it is empty',
    async (path) => {
      const router = createRouter({ policy, store: await make() })
      router.prepare(Book)
      const send = async () => {
        const response = await router.handle(new Request(`http://localhost${path}`))
        return ((await response.json()) as { books: readonly unknown[] }).books
      }
      expect(await send()).toEqual([placeholder])
      await router.load(Book, [{ id: 'a', title: 'x' }])
      expect(await send()).toEqual([{ id: 'a', title: 'x' }])
    },
  )
})
