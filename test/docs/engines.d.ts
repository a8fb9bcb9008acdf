/**
 * The faces of Pixi and Phaser, as far as the documents draw with them. They are not installed where snippets are
 * compiled, so they are declared here, after what the packages publish.
 */
declare module 'pixi.js' {
  export class Graphics {
    readonly position: { set(x: number, y: number): void };
    tint: number | string;
    rect(x: number, y: number, width: number, height: number): this;
    fill(colour: number | string): this;
  }

  export class Application {
    readonly canvas: HTMLCanvasElement;
    readonly stage: { addChild<T extends Graphics>(child: T): T };
    init(options: { width: number; height: number; background: number | string; autoStart: boolean }): Promise<void>;
    render(): void;
  }
}

declare module 'pixi.js/unsafe-eval';

declare module 'phaser' {
  class Rectangle {
    setOrigin(x: number, y?: number): this;
    setPosition(x: number, y?: number): this;
    setFillStyle(colour?: number, alpha?: number): this;
  }

  export class Scene {
    readonly add: { rectangle(x: number, y: number, width?: number, height?: number): Rectangle };
  }

  export class Game {
    constructor(options: { width: number; height: number; backgroundColor: number | string; scene: typeof Scene });
  }
}
