const { Emitter } = require('@socket.io/component-emitter');

/** A stream that carries nothing: the transport takes messages from the channels themselves. */
class Duplex extends Emitter {
  constructor() {
    super();
    this._readableState = { ended: false };
    this._writableState = { finished: false };
  }

  push() {}

  end() {}
}

module.exports = { Duplex };
