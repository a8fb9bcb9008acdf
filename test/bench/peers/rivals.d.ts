/**
 * The faces of the measured packages, as far as they are driven. They are not installed where types are checked, so
 * they are declared here, after what the packages publish.
 */
declare module 'rollback-netcode' {
  export interface Game {
    serialize(): Uint8Array;
    deserialize(data: Uint8Array): void;
    step(inputs: ReadonlyMap<string, Uint8Array>): void;
    hash(): number;
  }

  export class RollbackEngine {
    constructor(config: { game: Game; localPlayerId: string });
    addPlayer(playerId: string, joinTick: number): void;
    setLocalInput(tick: number, input: Uint8Array): void;
    receiveRemoteInput(playerId: string, tick: number, input: Uint8Array): void;
    tick(): { tick: number; rolledBack: boolean; rollbackTicks?: number; error?: Error };
  }
}

declare module 'netplayjs/src/types' {
  export abstract class NetplayState<I> {
    abstract tick(inputs: ReadonlyMap<NetplayPlayer, I>): void;
  }

  export abstract class NetplayInput<I> {
    predictNext(): I;
  }

  export class NetplayPlayer {
    constructor(id: number, isLocal: boolean, isHost: boolean);
  }
}

declare module 'netplayjs/src/netcode/rollback' {
  import type { NetplayPlayer, NetplayState } from 'netplayjs/src/types';

  export class RollbackNetcode<S extends NetplayState<I>, I> {
    constructor(
      isHost: boolean,
      initialState: S,
      players: NetplayPlayer[],
      initialInputs: Map<NetplayPlayer, I>,
      maxPredictedFrames: number,
      pingMeasure: unknown,
      timestep: number,
      pollInput: () => I,
      broadcastInput: (frame: number, input: I) => void,
      broadcastState: (frame: number, state: unknown) => void,
    );
    onRemoteInput(frame: number, player: NetplayPlayer, input: I): void;
    tick(): void;
  }
}
