import { type ItemContext, refuse } from 'resourcery'
import { z } from 'zod'
import type { Book } from './models/book.ts'

const quantity = z
  .int()
  .positive()
  .meta({ description: 'How many copies', examples: [1] })

type Quantity = { readonly quantity: number }

/** Reserves copies for a customer while there are enough. */
export function reserve({ item: book, input: { quantity } }: ItemContext<Book, Quantity>): {
  reserved: number
  stock: number
} {
  if (book.stock < quantity)
    throw refuse('conflict', `Only ${book.stock} copies of '${book.title}' are left.`)
  book.stock -= quantity
  return { reserved: quantity, stock: book.stock }
}

export const reservation = {
  id: 'reserve',
  description: 'Puts copies aside for a customer',
  input: z.object({ quantity }),
  output: z.object({
    reserved: quantity,
    stock: z.int().meta({ description: 'Copies that are left' }),
  }),
  responses: { 409: 'There are fewer copies than asked for' },
}
