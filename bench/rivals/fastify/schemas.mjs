// Fastify validates bodies and query strings against these schemas, and serializes responses with
// functions compiled from them.

const text = { type: 'string' }
const texts = { type: 'array', items: text }

const bookMembers = {
  id: { type: 'string', pattern: '^[A-Za-z0-9._~:@-]{1,128}$' },
  title: { type: 'string', minLength: 1, maxLength: 300 },
  price: { type: 'number', minimum: 0 },
  inStock: { type: 'boolean' },
  stock: { type: 'integer', minimum: 0 },
  pages: { type: 'integer', minimum: 1 },
  publishedAt: { type: 'string', format: 'date' },
  tags: texts,
  dimensions: {
    type: 'object',
    properties: {
      width: { type: 'number' },
      height: { type: 'number' },
      depth: { type: 'number' },
    },
  },
  editions: {
    type: 'array',
    items: {
      type: 'object',
      required: ['format', 'year', 'isbn'],
      properties: { format: text, year: { type: 'integer' }, isbn: text },
    },
  },
  author: text,
  publisher: text,
  genres: texts,
}

const book = { type: 'object', properties: { ...bookMembers, hash: text } }
const author = {
  type: 'object',
  properties: { id: text, name: text, born: text, bio: text, hash: text },
}
const item = { type: 'object', required: ['book'], properties: { book } }

/** @param {string[]} required */
const bodyWith = (required) => ({
  type: 'object',
  required: ['book'],
  properties: {
    book: { type: 'object', additionalProperties: false, required, properties: bookMembers },
  },
})

export const getItemSchema = { response: { 200: item } }

export const createSchema = {
  body: bodyWith(['title', 'price', 'author']),
  response: { 201: item },
}

export const patchSchema = { body: bodyWith([]), response: { 200: item } }

export const getListSchema = {
  querystring: {
    type: 'object',
    properties: {
      'page[size]': { type: 'integer', minimum: 1, maximum: 1_000 },
      'page[number]': { type: 'integer', minimum: 1 },
      'filter[price][gte]': { type: 'number' },
      'filter[price][lte]': { type: 'number' },
      'filter[inStock]': { type: 'boolean' },
      'filter[author]': text,
      sort: { type: 'string', enum: ['id', 'price', '-price'] },
      include: { type: 'string', enum: ['author'] },
    },
  },
  response: {
    200: {
      type: 'object',
      required: ['books'],
      properties: {
        books: { type: 'array', items: book },
        authors: { type: 'array', items: author },
      },
    },
  },
}
