import { attack, together } from '../attack.mjs'
import { bookId } from '../data.mjs'

/** @typedef {import('../attacker.mjs').Attacker} Attacker */

/**
 * @param {number} index of the book
 * @param {Buffer} body
 * @param {string} type
 */
const upload = (index, body, type) => ({
  method: 'POST',
  path: `/api/books/${bookId(index)}/cover`,
  headers: { 'content-type': type },
  body,
})

/** @param {number} index */
const variant = (index, form = 'avif/1024') => ({
  path: `/api/books/${bookId(index)}/cover${form && `/${form}`}`,
})

const half = {
  method: 'POST',
  path: `/api/books/${bookId(900)}/sample`,
  headers: { 'content-type': 'audio/mpeg', 'content-length': '19000000' },
  body: Buffer.concat([Buffer.from('ID3\x03\0\0\0\0\0\x0a', 'latin1'), Buffer.alloc(100_000)]),
}

export const bytes = [
  attack('avif as large as allowed', async (attacker, { pictures }) => {
    await attacker.ask(upload(800, pictures.avif, 'image/avif'))
    await attacker.ask(variant(800))
  }),
  attack('avif of many megapixels', async (attacker, { pictures }) => {
    await attacker.ask(upload(801, pictures.hugeAvif, 'image/avif'))
    await attacker.ask(variant(801))
  }),
  attack('png of many megapixels', async (attacker, { pictures }) => {
    await attacker.ask(upload(802, pictures.hugePng, 'image/png'))
    await attacker.ask(variant(802, 'webp/64'))
  }),
  attack('variants x100 of large pictures', async (attacker, { pictures }) => {
    await together(20, (index) => attacker.ask(upload(810 + index, pictures.png, 'image/png')))
    await together(100, (index) =>
      attacker.ask(variant(810 + (index % 20), queries[index % queries.length])),
    )
  }),
  attack('variants x100 of avif', async (attacker, { pictures }) => {
    await together(20, (index) => attacker.ask(upload(840 + index, pictures.avif, 'image/avif')))
    await together(100, (index) =>
      attacker.ask(variant(840 + (index % 20), queries[index % queries.length])),
    )
  }),
  attack('variants x100 aborted', async (attacker, { pictures }) => {
    await together(20, (index) => attacker.ask(upload(870 + index, pictures.photo, 'image/jpeg')))
    await together(100, (index) =>
      attacker.abandon(variant(870 + (index % 20), queries[index % queries.length]), 30),
    )
  }),
  attack('uploads x100 that stall', (attacker, { isQuick }) =>
    together(100, () => attacker.stall(half, isQuick ? 1_500 : 6_000)),
  ),
  attack('uploads x100 aborted', (attacker) =>
    together(100, (index) => attacker.abandon(half, 20 + index * 3)),
  ),
  attack('downloads x100 aborted', async (attacker, { pictures }) => {
    await attacker.ask(upload(803, pictures.photo, 'image/jpeg'))
    await together(100, (index) =>
      attacker.abandon({ path: `/api/books/${bookId(803)}/cover` }, 1 + (index % 20)),
    )
  }),
  attack('downloads x100 never read', async (attacker, { pictures, isQuick }) => {
    await attacker.ask(upload(804, pictures.photo, 'image/jpeg'))
    await together(100, () =>
      attacker.stall({ path: `/api/books/${bookId(804)}/cover` }, isQuick ? 1_500 : 6_000),
    )
  }),
  attack('covers replaced while they are read', async (attacker, { pictures }) => {
    const start = performance.now()
    const goesOn = () => !attacker.isOver() && performance.now() - start < 3_000
    const replace = async () => {
      for (let index = 0; goesOn(); index++)
        await attacker.ask(
          upload(805, Buffer.concat([pictures.photo, Buffer.from(String(index))]), 'image/jpeg'),
        )
    }
    const read = async (/** @type {number} */ index) => {
      while (goesOn()) await attacker.ask(variant(805, index % 2 ? 'webp/64' : ''))
    }
    await attacker.ask(upload(805, pictures.photo, 'image/jpeg'))
    await Promise.all([replace(), ...Array.from({ length: 10 }, (_, index) => read(index))])
  }),
]

const queries = ['avif', 'webp', 'jpeg', 'png'].flatMap((format) =>
  [1024, 512, 256, 128, 64].map((size) => `${format}/${size}`),
)
