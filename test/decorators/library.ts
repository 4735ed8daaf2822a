import { Action, action, model } from 'resourcery'
import { z } from 'zod'

const Percent = z.object({ percent: z.number() })

/** Compiled under each decorator convention, see `decorators.test.ts`. */
export class Book extends model('book', { price: z.number() }) {
  @Action({
    input: Percent,
    output: z.object({ price: z.number() }),
    description: 'Lowers the price',
  })
  discount({ percent }: { percent: number }): { price: number } {
    this.price *= 1 - percent / 100
    return { price: this.price }
  }

  @Action(Percent)
  async raise({ percent }: { percent: number }): Promise<void> {
    this.price *= 1 + percent / 100
  }

  @Action
  giveAway(): void {
    this.price = 0
  }

  @Action()
  halve(): void {
    this.price /= 2
  }

  lower({ percent }: { percent: number }): void {
    this.price *= 1 - percent / 100
  }

  round(): void {
    this.price = Math.round(this.price)
  }

  unmarked(): number {
    return this.price
  }

  static {
    action(this, 'lower', Percent)
    action(this, 'round')
  }
}

/** An override is an action only where it is marked too. */
export class UsedBook extends Book {
  override giveAway(): void {
    this.price = 1
  }

  @Action
  override halve(): void {
    this.price /= 4
  }

  override round(): void {
    this.price = Math.floor(this.price)
  }

  override lower(): void {
    this.price -= 1
  }

  static {
    action(this, 'lower')
  }
}
